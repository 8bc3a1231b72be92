package io.statestore.dafka.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/** The messages between nodes and towers. */
public final class Beacons {

	private static final byte[] BEACON = { 'B' };

	private static final byte[] WELCOME = { 'W' };

	private static final int MAX_LENGTH = 255;

	private static final int MAX_PORT = 65_535;

	private Beacons() {
	}

	/**
	 * From a node to a tower.
	 *
	 * @param id of the node
	 * @param host where it is reached, empty if the tower is to tell
	 * @param port where it listens
	 */
	public record Announcement(Bytes id, String host, int port) {

		public List<byte[]> frames() {
			return List.of(BEACON, this.id.unwrap(), this.host.getBytes(StandardCharsets.US_ASCII),
					String.valueOf(this.port).getBytes(StandardCharsets.US_ASCII));
		}

		/** The announcement in a message, {@code null} if it is anything else. */
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
	 * From a tower to all nodes.
	 *
	 * @param id of the node that announced itself
	 * @param endpoint what to connect to
	 */
	public record Sighting(Bytes id, String endpoint) {

		public List<byte[]> frames() {
			return List.of(BEACON, this.id.unwrap(), this.endpoint.getBytes(StandardCharsets.US_ASCII));
		}

		/** The sighting in a message, {@code null} if it is anything else. */
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

	/** What a tower says to each new subscriber. */
	public static byte[] welcome() {
		return WELCOME.clone();
	}

	/** What nodes subscribe to at towers. */
	public static List<byte[]> subscriptions() {
		return List.of(BEACON, WELCOME);
	}

	/** Whether a subscription at a tower calls for the welcome. */
	public static boolean asksForWelcome(byte[] prefix) {
		return Arrays.equals(prefix, WELCOME);
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
