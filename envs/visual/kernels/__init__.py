"""The rules of grids with pictures, compiled; a folder apart, since words change more often."""
