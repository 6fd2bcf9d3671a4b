"""Two furnish one room: ``arrange_room-v0``, its geometry, its wishes and its words."""
