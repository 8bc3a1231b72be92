package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.CurveOptions;

/** A network's keys in a directory, as created by {@code dafka keys}. */
public final class TestKeys {

	private final Path directory;

	private final Map<String, Pair> known = new TreeMap<>();

	/**
	 * Creates keys.
	 * @param directory an existing directory
	 * @param names names of the nodes
	 */
	public TestKeys(Path directory, String... names) {
		this.directory = directory;
		for (String name : names) {
			add(name);
		}
	}

	/**
	 * Creates a key pair and adds it to the list of peers.
	 * @param name name of the node
	 * @return a new key pair
	 */
	public Pair add(String name) {
		Pair keys = stranger(name);
		this.known.put(name, keys);
		writePeers();
		return keys;
	}

	/**
	 * Creates a key pair that is not in the list of peers.
	 * @param name name of the node
	 * @return a new key pair
	 */
	public Pair stranger(String name) {
		CurveKeyPair generated = CurveKeyPair.generate();
		Pair keys = new Pair(generated.publicKey(), generated.secretKey());
		write(keyFile(name), "curve\n    secret-key = \"" + Z85.encode(keys.secretKey()) + "\"\n");
		return keys;
	}

	/**
	 * Removes a node from the list of peers.
	 * @param name name of the node
	 */
	public void remove(String name) {
		this.known.remove(name);
		writePeers();
	}

	/** Writes the list of peers. */
	private void writePeers() {
		StringBuilder lines = new StringBuilder("# The nodes of this network\n");
		this.known
			.forEach((name, keys) -> lines.append(name).append(' ').append(Z85.encode(keys.publicKey())).append('\n'));
		write(peersFile(), lines.toString());
	}

	/**
	 * Returns a node's options.
	 * @param name name of the node
	 * @return options with the node's key and the list of peers
	 */
	public CurveOptions options(String name) {
		return CurveOptions.of(keyFile(name), peersFile());
	}

	/**
	 * Returns the file with the list of peers.
	 * @return the file
	 */
	public Path peersFile() {
		return this.directory.resolve("peers");
	}

	/**
	 * Returns the file with a node's secret key.
	 * @param name name of the node
	 * @return the file, which may not exist
	 */
	public Path keyFile(String name) {
		return this.directory.resolve(name + ".key_secret");
	}

	private static void write(Path file, String content) {
		try {
			Path next = file.resolveSibling(file.getFileName() + ".next");
			Files.writeString(next, content);
			Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A node's key pair. */
	public record Pair(Bytes publicKey, byte[] secretKey) {
	}

}
