"""Is a model robust, or do its gradients only hide where it errs? Things to measure, and alarms that they set off."""
