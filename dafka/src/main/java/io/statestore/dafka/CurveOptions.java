package io.statestore.dafka;

import java.nio.file.Path;
import java.util.List;

import io.statestore.dafka.internal.Options;

/**
 * Options of CURVE, with which nodes encrypt their connections and accept only known
 * peers. Immutable. The command {@code dafka keys} creates the files. Requires
 * {@code org.bouncycastle:bcprov-jdk18on} on the class path.
 * <p>
 * Both files are read when a node starts. A running node reads {@code peersFile} again
 * after it has changed, within two seconds. It then closes the connections of nodes that
 * are no longer listed.
 *
 * @param keyFile file with the secret key of the node
 * @param peersFile file with the names and public keys of all nodes of the network, one
 * per line
 * @param towers names of the towers in {@code peersFile}: one for each tower, in the
 * order of the addresses, or a single one if all towers have the same key;
 * {@value #DEFAULT_TOWER} by default
 */
public record CurveOptions(Path keyFile, Path peersFile, List<String> towers) {

	/** Default name of the tower. */
	public static final String DEFAULT_TOWER = "tower";

	/**
	 * Creates options.
	 * @throws IllegalArgumentException if there is no name of a tower
	 */
	public CurveOptions {
		towers = List.copyOf(towers);
		Options.require(!towers.isEmpty(), "curve.towers", "empty", "the name of a tower in 'curve.peersFile'");
	}

	/**
	 * Returns options for a network whose towers have the name {@value #DEFAULT_TOWER}.
	 * @param keyFile file with the secret key of the node
	 * @param peersFile file with the public keys of all nodes
	 * @return the options
	 */
	public static CurveOptions of(Path keyFile, Path peersFile) {
		return new CurveOptions(keyFile, peersFile, List.of(DEFAULT_TOWER));
	}

	/**
	 * Returns a copy with other names of towers.
	 * @param towers one name for each tower, or a single one for all
	 * @return the options
	 */
	public CurveOptions withTowers(String... towers) {
		return new CurveOptions(this.keyFile, this.peersFile, List.of(towers));
	}

}
