"""The same, layer by layer."""

slow_client = async_handlers = tokenizer = "api"
scheduler_gap = item_each_step = two_in_flight = "engine"
copy_alone = right_when_blocking = an_event = two_gemms = "device"
