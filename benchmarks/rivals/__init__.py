"""Other people's loops on the simulated worlds: what sharpen's figures are compared with."""
