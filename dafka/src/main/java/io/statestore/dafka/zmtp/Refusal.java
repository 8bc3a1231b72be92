package io.statestore.dafka.zmtp;

/** Reason to close a connection or to drop a message. */
enum Refusal {

	/** More accepted connections than allowed. */
	TOO_MANY_CONNECTIONS("too many connections"),
	/** Neither a subscription nor a heartbeat within the time limit. */
	SILENT("no message after the handshake"),
	/** A frame with a negative length, or without memory for it. */
	FRAME_LENGTH("a frame with an invalid length, or too many large frames"),
	/** A message with more frames than allowed. */
	TOO_MANY_FRAMES("a message with too many frames"),
	/** A message to a publisher that is not a subscription. */
	NO_SUBSCRIPTION("a message that is not a subscription"),
	/** More subscriptions than allowed. */
	TOO_MANY_SUBSCRIPTIONS("too many subscriptions"),
	/** A message for which there is no memory, because too many wait. */
	QUEUE_FULL("more messages than fit into memory");

	private final String text;

	Refusal(String text) {
		this.text = text;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
