package io.statestore.broker.gateway;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Topics;

/**
 * Payload of a retained message with observations. The first line is the version of the
 * format. Each further line is one observation: the client id and the key in hexadecimal,
 * separated by a space.
 *
 * @param observations the well-formed ones
 * @param malformed number of lines that were left out
 */
record ObserverPage(List<Observation> observations, int malformed) {

	private static final String FORMAT = "v1";

	/** Malformed lines after which the rest of a payload is left out. */
	private static final int MAX_MALFORMED = 10;

	/** Returns the payload, which is empty if there is no observation. */
	static byte[] encode(Collection<Observation> observations) {
		if (observations.isEmpty()) {
			return new byte[0];
		}
		StringBuilder text = new StringBuilder(FORMAT).append('\n');
		observations.forEach((observation) -> text.append(Bytes.of(observation.clientId()).toHex())
			.append(' ')
			.append(observation.key().toHex())
			.append('\n'));
		return text.toString().getBytes(StandardCharsets.US_ASCII);
	}

	/** Returns the number of bytes that an observation adds to a payload. */
	static int length(Observation observation) {
		return 2 * (Bytes.of(observation.clientId()).length() + observation.key().length() + 1);
	}

	/** Reads a payload, which another client may have forged. */
	static ObserverPage decode(byte[] payload) {
		List<Observation> observations = new ArrayList<>();
		int malformed = 0;
		String[] lines = new String(payload, StandardCharsets.ISO_8859_1).split("\n");
		if (!lines[0].equals(FORMAT)) {
			return new ObserverPage(observations, lines.length);
		}
		for (int i = 1; i < lines.length; i++) {
			if (malformed == MAX_MALFORMED) {
				return new ObserverPage(observations, malformed + lines.length - i);
			}
			try {
				observations.add(observation(lines[i]));
			}
			catch (IllegalArgumentException ex) {
				malformed++;
			}
		}
		return new ObserverPage(observations, malformed);
	}

	private static Observation observation(String line) {
		int space = line.indexOf(' ');
		Bytes clientId = Bytes.ofHex(line.substring(0, Math.max(0, space)));
		Bytes key = Bytes.ofHex(line.substring(space + 1));
		Observation observation = new Observation(clientId.toUtf8(), key);
		boolean text = Bytes.of(observation.clientId()).equals(clientId);
		if (!text || clientId.isEmpty() || key.isEmpty() || !Topics.isObservable(observation.clientId(), key)) {
			throw new IllegalArgumentException("No observation: '" + line + "'");
		}
		return observation;
	}

}
