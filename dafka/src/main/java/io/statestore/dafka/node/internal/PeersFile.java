package io.statestore.dafka.node.internal;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.internal.Options;

/**
 * File with the names and public keys of all nodes of a network. Each line contains a
 * name and a key. Lines that begin with {@code #} are comments. Internal: not part of the
 * API.
 */
final class PeersFile {

	/** Names of nodes, which are also names of files. */
	static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}");

	private static final String OPTION = "curve.peersFile";

	/** Enough for 100,000 nodes. */
	private static final int MAX_SIZE = 16 << 20;

	private static final Pattern SPACE = Pattern.compile("\\s+");

	private PeersFile() {
	}

	/**
	 * Reads a file.
	 * @param file the file
	 * @return public keys by name
	 * @throws IllegalArgumentException if the file cannot be read or is malformed
	 */
	static Map<String, Bytes> read(Path file) {
		return parse(file, CurveKeyPair.text(OPTION, file, MAX_SIZE,
				"a file that this process can read; 'dafka keys' creates it"));
	}

	/** Parses the content of a file. */
	static Map<String, Bytes> parse(Path file, String content) {
		Map<String, Bytes> keys = new LinkedHashMap<>();
		int number = 0;
		for (String line : content.split("\n", -1)) {
			number++;
			String text = line.strip();
			if (text.isEmpty() || text.startsWith("#")) {
				continue;
			}
			String[] parts = SPACE.split(text);
			byte[] key = (parts.length == 2 && NAME.matcher(parts[0]).matches()) ? Z85.decode(parts[1]) : null;
			Options.require(key != null, OPTION, "'" + file + "', whose line " + number + " is malformed,",
					"a file with a name and a public key of 40 characters in each line");
			boolean added = key != null && keys.putIfAbsent(parts[0], Bytes.wrap(key)) == null;
			Options.require(added, OPTION, "'" + file + "', whose line " + number + " repeats a name,",
					"a file with a different name in each line");
		}
		Options.require(!keys.isEmpty(), OPTION, "'" + file + "', which is empty,",
				"a file with a name and a public key of 40 characters in each line");
		return keys;
	}

}
