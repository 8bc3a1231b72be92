package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

import io.statestore.dafka.DafkaException;
import io.statestore.dafka.internal.Options;
import io.statestore.dafka.internal.PrivateFiles;

/**
 * Directory with the nodes' key files, in the format of ZeroMQ certificates, and the list
 * of peers. Internal: not part of the API.
 *
 * @param directory the directory, which need not exist
 */
public record KeyDirectory(Path directory) {

	private static final String PEERS = "peers";

	/** Name of the file that is locked while a program creates keys. */
	private static final String LOCK = "peers.lock";

	private static final String SECRET = ".key_secret";

	private static final String PUBLIC = ".key";

	/**
	 * Returns the file with a node's secret key.
	 * @param name name of the node
	 * @return the file, which might not exist
	 */
	public Path secretKey(String name) {
		return this.directory.resolve(name + SECRET);
	}

	/**
	 * Returns the file with the list of peers.
	 * @return the file, which might not exist
	 */
	public Path peers() {
		return this.directory.resolve(PEERS);
	}

	/**
	 * Creates keys and adds them to the list of peers. Changes nothing if a name is
	 * invalid, a file exists (unless {@code force} is set), or the list of peers is
	 * malformed. Waits for other programs that create keys in the same directory.
	 * @param names names of the nodes
	 * @param force whether to replace existing keys
	 * @throws IllegalArgumentException if a name or the list of peers is invalid
	 * @throws DafkaException if a file exists or cannot be written, or Bouncy Castle is
	 * not on the class path
	 */
	public void create(List<String> names, boolean force) {
		CurveSecurity.requireBouncyCastle();
		for (String name : names) {
			Options.require(KnownPeers.NAME.matcher(name).matches() && !name.equals(PEERS), "name", '\'' + name + '\'',
					"1 to 64 letters, digits, periods, hyphens, or underscores, begin with a letter, a digit, or an"
							+ " underscore, and not be 'peers'");
		}
		try {
			Files.createDirectories(this.directory);
			// The file lock ends with its process and excludes other processes only; this
			// block excludes other threads.
			synchronized (KeyDirectory.class) {
				try (FileChannel lock = PrivateFiles.open(this.directory.resolve(LOCK))) {
					lock.lock();
					createLocked(names, force);
				}
			}
		}
		catch (IOException ex) {
			throw new DafkaException("Cannot write keys to '" + this.directory + "' (" + ex
					+ "). Choose a directory in which this user may create files", ex);
		}
	}

	private void createLocked(List<String> names, boolean force) throws IOException {
		for (String name : names) {
			for (Path file : List.of(secretKey(name), publicKey(name))) {
				if (!force && Files.exists(file)) {
					throw new DafkaException("The file '" + file + "' exists, and nothing was created. Choose another"
							+ " name, or replace the key with --force");
				}
			}
		}
		List<String> lines = Files.exists(peers()) ? peerLines() : new ArrayList<>(
				List.of("# Nodes of a Dafka network, each with its name and public key. Copy this file to all nodes."));
		for (String name : names) {
			CurveKeyPair keys = CurveKeyPair.generate();
			String publicKey = Z85.encode(keys.publicKey());
			write(secretKey(name), certificate(name, "Secret key. Only this node may read this file.", publicKey)
					+ "    secret-key = \"" + Z85.encode(keys.secretKey()) + "\"\n", "rw-------");
			write(publicKey(name), certificate(name, "Public key.", publicKey), "rw-r--r--");
			lines.removeIf((line) -> line.strip().split("\\s+")[0].equals(name));
			lines.add(name + ' ' + publicKey);
		}
		write(peers(), String.join("\n", lines) + '\n', "rw-r--r--");
	}

	private Path publicKey(String name) {
		return this.directory.resolve(name + PUBLIC);
	}

	private List<String> peerLines() throws IOException {
		KnownPeers.read(peers());
		return new ArrayList<>(Files.readAllLines(peers(), StandardCharsets.ISO_8859_1));
	}

	private static String certificate(String name, String comment, String publicKey) {
		return "# ZeroMQ CURVE certificate. " + comment + "\nmetadata\n    name = \"" + name
				+ "\"\ncurve\n    public-key = \"" + publicKey + "\"\n";
	}

	/** Replaces a file. Other users cannot read a secret at any time. */
	private static void write(Path file, String content, String permissions) throws IOException {
		Path directory = file.toAbsolutePath().getParent();
		Path next = Files.createTempFile(directory, ".", ".next", PrivateFiles.permissions(permissions));
		try {
			Files.writeString(next, content, StandardCharsets.ISO_8859_1);
			Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
		}
		finally {
			Files.deleteIfExists(next);
		}
	}

}
