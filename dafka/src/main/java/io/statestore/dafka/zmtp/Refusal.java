package io.statestore.dafka.zmtp;

/** Reason for closing a connection, or for dropping a message. */
enum Refusal {

	/** More accepted connections than allowed. */
	TOO_MANY_CONNECTIONS("too many connections"),
	/** Neither subscription nor heartbeat within the time limit. */
	SILENT("no message after the handshake"),
	/** A frame of negative length, or without memory for it. */
	FRAME_LENGTH("a frame with an impossible length, or too many large ones"),
	/** A message with more frames than allowed. */
	TOO_MANY_FRAMES("a message with too many frames"),
	/** Something else than a subscription was sent to a publisher. */
	NO_SUBSCRIPTION("a message that is no subscription"),
	/** More subscriptions than allowed. */
	TOO_MANY_SUBSCRIPTIONS("too many subscriptions"),
	/** Messages arrive faster than they are received. */
	QUEUE_FULL("more messages than there is memory for");

	private final String text;

	Refusal(String text) {
		this.text = text;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
