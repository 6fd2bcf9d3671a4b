"""What all grid worlds share: kernels for moving, beams and views, maps, and the API."""
