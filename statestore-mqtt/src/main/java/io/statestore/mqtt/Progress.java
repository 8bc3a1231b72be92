package io.statestore.mqtt;

/**
 * How much data a connection has transferred in one direction.
 *
 * @param packets number of packets
 * @param bytes number of bytes, which may be off by a constant
 */
public record Progress(long packets, long bytes) {

	/** The progress of a connection that is not established. */
	public static final Progress NONE = new Progress(0, 0);

}
