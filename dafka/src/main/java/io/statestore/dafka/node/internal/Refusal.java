package io.statestore.dafka.node.internal;

/** Reason for closing a connection or dropping a message. */
enum Refusal {

	/** More accepted connections than allowed. */
	TOO_MANY_CONNECTIONS("too many connections"),
	/** A frame with a negative length, or without memory for it. */
	FRAME_LENGTH("a frame with an invalid length, or too many large frames"),
	/** A message with more frames than allowed. */
	TOO_MANY_FRAMES("a message with too many frames"),
	/** A message to a publisher that is not a subscription. */
	NO_SUBSCRIPTION("a message that is not a subscription"),
	/** More subscriptions than allowed. */
	TOO_MANY_SUBSCRIPTIONS("too many subscriptions"),
	/** A connection that ended before the CURVE handshake or uses another mechanism. */
	NO_CURVE("a connection without CURVE",
			"If a node runs there, give it the CURVE options of this network, or check whether it has stopped"),
	/** A handshake that takes too long. */
	HANDSHAKE_TIMEOUT("an unfinished handshake", "Check which program runs there"),
	/** A CURVE message that violates RFC 25 or 26 or was changed in transit. */
	CURVE_VIOLATION("an invalid CURVE message", "Check which program connects there"),
	/** A client that expects this node to have another key. */
	WRONG_SERVER_KEY("a peer that expects another public key of this node",
			"Check that the list of peers there contains the public key of this node, "),
	/** A client whose public key is not in the list of peers. */
	KEY_NOT_ALLOWED("a public key that is not in the list of peers",
			"If the node belongs to this network, add its name and the key "),
	/** A server that does not accept the key of this node. */
	REFUSED_BY_PEER("a connection that the peer ended because it does not know this node",
			"Add the public key of this node to the list of peers there: "),
	/** A server without the announced key. */
	WRONG_PEER_KEY("a peer that does not have the expected public key",
			"Check which node runs there, and the lists of peers on both sides for the key "),
	/** A server, such as the tower, whose key is not in the list of peers. */
	UNKNOWN_PEER("a connection to a node that is not in the list of peers", "Check the list in "),
	/** A connected node that was removed from the list of peers. */
	REMOVED("a node that was removed from the list of peers", "Its public key is ");

	private final String text;

	private final String advice;

	Refusal(String text) {
		this(text, "Check which program connects there");
	}

	Refusal(String text, String advice) {
		this.text = text;
		this.advice = advice;
	}

	/** Returns what to do next; a detail such as a key may follow. */
	String advice() {
		return this.advice;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
