"""Other libraries' attacks, where they are installed, with as many steps as fit a number of passes."""
