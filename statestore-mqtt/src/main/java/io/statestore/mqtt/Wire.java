package io.statestore.mqtt;

/**
 * Sends messages and acknowledgments on a connection, or drops them if it has ended.
 */
public interface Wire {

	/**
	 * Writes a PUBLISH.
	 * @param message the message to send
	 * @param packetId packet identifier
	 * @param repeated whether it was sent before, on an earlier connection
	 */
	void publish(OutgoingPublish message, int packetId, boolean repeated);

	/**
	 * Acknowledges a QoS 1 message.
	 * @param packetId packet identifier of the message
	 */
	void acknowledge(int packetId);

	/**
	 * Returns whether the network accepts data.
	 * @return whether it accepts data without delay
	 */
	boolean isWritable();

}
