package io.statestore.broker.session;

/**
 * A message for one session. A queued message has a number and stays in the session until
 * its delivery is acknowledged. Each flag records the snapshot epoch in which it was set.
 * Beginning a snapshot starts a new epoch, so the snapshot can ignore later changes. Only
 * the state machine changes a queued message; the connection and the snapshot read it.
 * <p>
 * Internal: not part of the API.
 */
public final class Delivery {

	/** Estimated heap of a delivery without its message, in bytes. */
	static final int COST = 56;

	/**
	 * Highest packet identifier of a queued message. Messages that are not queued use
	 * higher identifiers.
	 */
	public static final int MAX_PACKET_ID = 0x7FFF;

	private static final int[] NO_IDENTIFIERS = new int[0];

	private final Message message;

	private final byte qos;

	private final boolean retain;

	private final int[] identifiers;

	/** Number in the session, 0 if this message is not queued. */
	private final long number;

	/**
	 * Epoch in which an earlier connection may have received the message, 0 if none has.
	 */
	private int repeated;

	/** Epoch in which the client sent PUBREC, 0 if it has not. */
	private int received;

	/** Epoch in which the client sent PUBACK or PUBCOMP, 0 if it has not. */
	private int completed;

	Delivery(Message message, int qos, boolean retain, int[] identifiers, long number) {
		this.message = message;
		this.qos = (byte) qos;
		this.retain = retain;
		this.identifiers = (identifiers.length == 0) ? NO_IDENTIFIERS : identifiers;
		this.number = number;
	}

	/**
	 * Returns the estimated heap in bytes. A shared message counts in full for each
	 * session.
	 */
	int cost() {
		return COST + Integer.BYTES * this.identifiers.length + this.message.cost();
	}

	/**
	 * Returns the message to deliver.
	 * @return the message, shared with other sessions
	 */
	public Message message() {
		return this.message;
	}

	/**
	 * Returns the QoS of the PUBLISH.
	 * @return the lower of the message's and the subscription's QoS
	 */
	public int qos() {
		return this.qos;
	}

	/**
	 * Returns the RETAIN flag of the PUBLISH.
	 * @return whether to set the flag
	 */
	public boolean retain() {
		return this.retain;
	}

	/**
	 * Returns the Subscription Identifiers of the PUBLISH.
	 * @return the identifiers; the caller must not change the array
	 */
	public int[] identifiers() {
		return this.identifiers;
	}

	/**
	 * Returns the message's number in the session.
	 * @return the number, 0 if the message is not queued
	 */
	public long number() {
		return this.number;
	}

	/**
	 * Returns the packet identifier of a queued message, which is the same on each
	 * connection (MQTT 5 section 4.4).
	 * @return 1 to {@value #MAX_PACKET_ID}
	 */
	public int packetId() {
		return (int) ((this.number - 1) % MAX_PACKET_ID) + 1;
	}

	/**
	 * Returns the DUP flag of the PUBLISH.
	 * @return whether an earlier connection may have received the message
	 */
	public boolean isRepeated() {
		return isRepeated(Integer.MAX_VALUE);
	}

	/** Returns whether the DUP flag was set by the end of an epoch. */
	boolean isRepeated(int epoch) {
		return isWithin(this.repeated, epoch);
	}

	void setRepeated(int epoch) {
		this.repeated = (this.repeated != 0) ? this.repeated : epoch;
	}

	/**
	 * Returns whether the client has sent PUBREC.
	 * @return whether PUBREL must be sent instead of PUBLISH
	 */
	public boolean isReceived() {
		return isReceived(Integer.MAX_VALUE);
	}

	boolean isReceived(int epoch) {
		return isWithin(this.received, epoch);
	}

	void setReceived(int epoch) {
		this.received = (this.received != 0) ? this.received : epoch;
	}

	boolean isCompleted() {
		return isCompleted(Integer.MAX_VALUE);
	}

	boolean isCompleted(int epoch) {
		return isWithin(this.completed, epoch);
	}

	void setCompleted(int epoch) {
		this.completed = epoch;
	}

	private static boolean isWithin(int changed, int epoch) {
		return changed != 0 && changed <= epoch;
	}

}
