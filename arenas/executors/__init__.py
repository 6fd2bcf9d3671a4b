"""Where jobs are done: in this process, over processes, over the machines of a Ray cluster."""
