package io.statestore.dafka.node.internal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Messages between nodes and towers, in the format of RFC 46's reference implementation.
 */
final class Beacons {

	private static final byte[] BEACON = { 'B' };

	/** Message that a tower sends to each new subscriber. */
	static final byte[] WELCOME = { 'W' };

	/** Message with which a node subscribes to {@link #WELCOME}. */
	static final byte[] WELCOME_SUBSCRIPTION = { 1, 'W' };

	/** A node's subscriptions to a tower. */
	static final List<byte[]> SUBSCRIPTIONS = List.of(BEACON, WELCOME);

	private static final int MAX_LENGTH = 255;

	private static final int MAX_PORT = 65_535;

	private Beacons() {
	}

	/**
	 * Announcement sent by a node to a tower.
	 *
	 * @param id the node's ID
	 * @param host the node's host, empty to use the address seen by the tower
	 * @param port port on which the node listens
	 */
	public record Announcement(Bytes id, String host, int port) {

		/**
		 * Returns this announcement as a message.
		 * @return frames of the message
		 */
		public List<byte[]> frames() {
			return List.of(BEACON, this.id.unwrap(), this.host.getBytes(StandardCharsets.US_ASCII),
					String.valueOf(this.port).getBytes(StandardCharsets.US_ASCII));
		}

		/**
		 * Parses a message to a tower.
		 * @param frames frames of the message
		 * @return the announcement, or {@code null} if the message is malformed
		 */
		public static @Nullable Announcement of(List<byte[]> frames) {
			if (frames.size() != 4 || !isBeacon(frames)) {
				return null;
			}
			String host = text(frames.get(2));
			int port = portOf(text(frames.get(3)));
			return (isHost(host) && port > 0) ? new Announcement(Bytes.wrap(frames.get(1)), host, port) : null;
		}

	}

	/**
	 * A tower's report to all nodes that it has received an announcement.
	 *
	 * @param id the announced node's ID
	 * @param endpoint the announced node's ZeroMQ endpoint
	 */
	public record Sighting(Bytes id, String endpoint) {

		/**
		 * Returns this sighting as a message.
		 * @return frames of the message
		 */
		public List<byte[]> frames() {
			return List.of(BEACON, this.id.unwrap(), this.endpoint.getBytes(StandardCharsets.US_ASCII));
		}

		/**
		 * Parses a message from a tower.
		 * @param frames frames of the message
		 * @return the sighting, or {@code null} if the message is malformed
		 */
		public static @Nullable Sighting of(List<byte[]> frames) {
			if (frames.size() != 3 || !isBeacon(frames)) {
				return null;
			}
			String endpoint = text(frames.get(2));
			int colon = endpoint.lastIndexOf(':');
			boolean valid = endpoint.startsWith("tcp://") && colon > "tcp://".length()
					&& isHost(endpoint.substring("tcp://".length(), colon))
					&& portOf(endpoint.substring(colon + 1)) > 0;
			return valid ? new Sighting(Bytes.wrap(frames.get(1)), endpoint) : null;
		}

	}

	private static boolean isBeacon(List<byte[]> frames) {
		return Arrays.equals(frames.get(0), BEACON) && frames.get(1).length >= 1 && frames.get(1).length <= MAX_LENGTH;
	}

	private static boolean isHost(String host) {
		if (host.length() > MAX_LENGTH) {
			return false;
		}
		for (int i = 0; i < host.length(); i++) {
			char c = host.charAt(i);
			if (!Character.isLetterOrDigit(c) && "-._:[]%".indexOf(c) < 0) {
				return false;
			}
		}
		return true;
	}

	private static String text(byte[] frame) {
		return new String(frame, StandardCharsets.US_ASCII);
	}

	private static int portOf(String text) {
		try {
			int port = Integer.parseInt(text);
			return (port <= MAX_PORT) ? port : -1;
		}
		catch (NumberFormatException ex) {
			return -1;
		}
	}

}
