package io.statestore.broker.gateway;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;

/**
 * Payload of a retained message with watches. The first line is the format version. Each
 * following line is one watch: the client id and the key in hexadecimal, separated by a
 * space.
 *
 * @param watches the watches from well-formed lines
 * @param malformed number of malformed lines, which are skipped
 */
record WatcherPage(List<Watch> watches, int malformed) {

	private static final String FORMAT = "v1";

	/** Number of malformed lines after which the rest of a payload is skipped. */
	private static final int MAX_MALFORMED = 10;

	/** Returns the payload, which is empty if there are no watches. */
	static byte[] encode(Collection<Watch> watches) {
		if (watches.isEmpty()) {
			return new byte[0];
		}
		StringBuilder text = new StringBuilder(FORMAT).append('\n');
		watches.forEach((watch) -> text.append(Bytes.of(watch.clientId()).toHex())
			.append(' ')
			.append(watch.key().toHex())
			.append('\n'));
		return text.toString().getBytes(StandardCharsets.US_ASCII);
	}

	/** Returns the number of bytes that a watch adds to a payload. */
	static int length(Watch watch) {
		return 2 * (Bytes.of(watch.clientId()).length() + watch.key().length() + 1);
	}

	/** Decodes a payload, which another client may have forged. */
	static WatcherPage decode(byte[] payload) {
		List<Watch> watches = new ArrayList<>();
		int malformed = 0;
		String[] lines = new String(payload, StandardCharsets.ISO_8859_1).split("\n");
		if (!lines[0].equals(FORMAT)) {
			return new WatcherPage(watches, lines.length);
		}
		for (int i = 1; i < lines.length; i++) {
			if (malformed == MAX_MALFORMED) {
				return new WatcherPage(watches, malformed + lines.length - i);
			}
			try {
				watches.add(watch(lines[i]));
			}
			catch (IllegalArgumentException ex) {
				malformed++;
			}
		}
		return new WatcherPage(watches, malformed);
	}

	private static Watch watch(String line) {
		int space = line.indexOf(' ');
		Bytes clientId = Bytes.ofHex(line.substring(0, Math.max(0, space)));
		Bytes key = Bytes.ofHex(line.substring(space + 1));
		Watch watch = new Watch(clientId.toUtf8(), key);
		boolean text = Bytes.of(watch.clientId()).equals(clientId);
		if (!text || clientId.isEmpty() || key.isEmpty() || !Topics.isWatchable(watch.clientId(), key)) {
			throw new IllegalArgumentException("No watch: '" + line + "'");
		}
		return watch;
	}

}
