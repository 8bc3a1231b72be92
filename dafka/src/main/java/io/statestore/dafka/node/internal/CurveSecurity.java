package io.statestore.dafka.node.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.DafkaException;
import io.statestore.dafka.internal.Options;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys of a node and its peers. A node uses the same key pair for accepting and making
 * connections. It announces its public key in its beacons and connects only to nodes
 * whose keys are in the list of peers. Used by the node's thread. Internal: not part of
 * the API.
 */
public final class CurveSecurity implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(CurveSecurity.class);

	private final CurveKeyPair keys;

	private final KnownPeers peers;

	private final List<String> towers;

	/**
	 * Announced keys by endpoint. A key is listed once for each node that announces it.
	 */
	private final Map<String, List<Bytes>> announced = new HashMap<>();

	private final Map<String, String> towerNames = new HashMap<>();

	private int attempts;

	private CurveSecurity(CurveKeyPair keys, KnownPeers peers, List<String> towers) {
		this.keys = keys;
		this.peers = peers;
		this.towers = towers;
	}

	/**
	 * Reads a node's keys.
	 * @param options CURVE options, or {@code null} for a node without CURVE
	 * @param towers number of towers that the node connects to
	 * @return the keys, which the caller must close; {@code null} without options
	 * @throws IllegalArgumentException if a file is missing or malformed
	 */
	public static @Nullable CurveSecurity of(@Nullable CurveOptions options, int towers) {
		if (options == null) {
			return null;
		}
		check(options, towers);
		CurveKeyPair keys = CurveKeyPair.read(options.keyFile());
		warnIfReadableByOthers(options.keyFile());
		KnownPeers peers = new KnownPeers(options.peersFile());
		if (!peers.contains(keys.publicKey())) {
			logger.warn(
					"The public key {} of this node is not in '{}'. Nodes with the same list of peers will refuse"
							+ " it. Add its name and the key to the list",
					Z85.encode(keys.publicKey()), options.peersFile());
		}
		return new CurveSecurity(keys, peers, options.towers());
	}

	/**
	 * Checks that a node can start with these options.
	 * @param options options whose files are read
	 * @param towers number of towers that the node connects to
	 * @throws IllegalArgumentException if a file is missing or malformed, or a tower's
	 * name is missing
	 * @throws io.statestore.dafka.DafkaException if Bouncy Castle is not on the class
	 * path
	 */
	public static void check(CurveOptions options, int towers) {
		requireBouncyCastle();
		CurveKeyPair.read(options.keyFile());
		Map<String, Bytes> peers = KnownPeers.read(options.peersFile());
		List<String> names = options.towers();
		Options.require(towers == 0 || names.size() == 1 || names.size() == towers, "curve.towers", names,
				"one name for each of the " + towers + " towers, or a single one");
		for (String name : names) {
			Options.require(towers == 0 || peers.containsKey(name), "curve.towers", names,
					"names in '" + options.peersFile() + "', which does not contain '" + name + '\'');
		}
	}

	/**
	 * Requires the library that implements the ciphers.
	 * @throws DafkaException if Bouncy Castle is not on the class path
	 */
	static void requireBouncyCastle() {
		try {
			Class.forName("org.bouncycastle.crypto.engines.XSalsa20Engine", false,
					CurveSecurity.class.getClassLoader());
		}
		catch (ClassNotFoundException | LinkageError ex) {
			throw new DafkaException("CURVE requires Bouncy Castle, which is not on the class path. Add the dependency"
					+ " org.bouncycastle:bcprov-jdk18on");
		}
	}

	private static void warnIfReadableByOthers(Path file) {
		try {
			Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
			if (permissions.contains(PosixFilePermission.OTHERS_READ)
					|| permissions.contains(PosixFilePermission.GROUP_WRITE)
					|| permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
				logger.warn("Other users can read or change the secret key in '{}'. Restrict its permissions with"
						+ " chmod 600, and replace the key if they must not have it", file);
			}
		}
		catch (IOException | UnsupportedOperationException ex) {
			// The file system does not support such permissions.
		}
	}

	CurveKeyPair keys() {
		return this.keys;
	}

	boolean isKnown(Bytes key) {
		return this.peers.contains(key);
	}

	/** Returns the file with the list of peers, for messages. */
	Path peersFile() {
		return this.peers.file();
	}

	/**
	 * Returns the ID for this node's beacons, which contains its public key.
	 * @param id the node's ID
	 * @return the ID followed by the public key
	 */
	public Bytes announcement(String id) {
		return Bytes.of(id + Z85.encode(this.keys.publicKey()));
	}

	/**
	 * Returns whether a beacon contains a key that is in the list of peers.
	 * @param id ID in the beacon
	 * @return whether to connect to the node
	 */
	public boolean accepts(Bytes id) {
		Bytes key = key(id);
		return key != null && isKnown(key);
	}

	/**
	 * Returns whether a beacon contains the key of the peer that sent it.
	 * @param id ID in the beacon
	 * @param peer the sender's key, {@code null} without CURVE
	 * @return whether the sender announces itself
	 */
	public static boolean isOwn(Bytes id, @Nullable Bytes peer) {
		return peer != null && peer.equals(key(id));
	}

	private static @Nullable Bytes key(Bytes id) {
		String text = new String(id.unwrap(), StandardCharsets.ISO_8859_1);
		byte[] key = Z85.decode(text.substring(Math.max(0, text.length() - Z85.KEY_LENGTH)));
		return (key != null) ? Bytes.wrap(key) : null;
	}

	/**
	 * Adds the key that an announced node must have.
	 * @param endpoint the node's endpoint
	 * @param id ID in its beacon
	 */
	public void add(String endpoint, Bytes id) {
		Bytes key = key(id);
		if (key != null) {
			this.announced.computeIfAbsent(endpoint, (name) -> new ArrayList<>()).add(key);
		}
	}

	/**
	 * Removes the key of an announced node that has left.
	 * @param endpoint the node's endpoint
	 * @param id ID in its beacon
	 */
	public void remove(String endpoint, Bytes id) {
		this.announced.computeIfPresent(endpoint, (name, keys) -> {
			keys.remove(key(id));
			return keys.isEmpty() ? null : keys;
		});
	}

	/**
	 * Sets the tower at an endpoint.
	 * @param endpoint the tower's endpoint
	 * @param index index of the tower in the node's options
	 */
	public void tower(String endpoint, int index) {
		this.towerNames.put(endpoint, this.towers.get(Math.min(index, this.towers.size() - 1)));
	}

	/**
	 * Returns the key that the peer at an endpoint must have. If nodes with different
	 * keys have announced the same endpoint, each call returns another of these keys.
	 * @return the key, or {@code null} if no known peer has announced the endpoint
	 */
	@Nullable Bytes expected(String endpoint) {
		String tower = this.towerNames.get(endpoint);
		if (tower != null) {
			return this.peers.key(tower);
		}
		List<Bytes> keys = this.announced.getOrDefault(endpoint, List.of())
			.stream()
			.filter(this::isKnown)
			.distinct()
			.toList();
		return keys.isEmpty() ? null : keys.get(Math.floorMod(this.attempts++, keys.size()));
	}

	/** Stops watching the list of peers. */
	@Override
	public void close() {
		this.peers.close();
	}

}
