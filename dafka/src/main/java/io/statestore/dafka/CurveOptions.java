package io.statestore.dafka;

import java.nio.file.Path;
import java.util.List;

import io.statestore.dafka.internal.Options;

/**
 * Options for CURVE, which encrypts connections and lets nodes accept only known peers.
 * Immutable. The command {@code dafka keys} creates the files. Requires
 * {@code org.bouncycastle:bcprov-jdk18on} on the class path.
 * <p>
 * A node reads both files when it starts. While running, it reads {@code peersFile} again
 * within two seconds of a change, then closes connections to nodes that are no longer
 * listed.
 *
 * @param keyFile file with the node's secret key
 * @param peersFile file with the names and public keys of all nodes in the network, one
 * node per line
 * @param towers names of the towers in {@code peersFile}: one name for each tower, in the
 * order of the tower addresses, or a single name if all towers have the same key;
 * {@value #DEFAULT_TOWER} by default
 */
public record CurveOptions(Path keyFile, Path peersFile, List<String> towers) {

	/** Default name of the tower. */
	public static final String DEFAULT_TOWER = "tower";

	/**
	 * Creates options.
	 * @throws IllegalArgumentException if {@code towers} is empty
	 */
	public CurveOptions {
		towers = List.copyOf(towers);
		Options.require(!towers.isEmpty(), "curve.towers", "empty", "the name of a tower in 'curve.peersFile'");
	}

	/**
	 * Returns options for a network whose towers have the name {@value #DEFAULT_TOWER}.
	 * @param keyFile file with the node's secret key
	 * @param peersFile file with the names and public keys of all nodes
	 * @return options for one tower key
	 */
	public static CurveOptions of(Path keyFile, Path peersFile) {
		return new CurveOptions(keyFile, peersFile, List.of(DEFAULT_TOWER));
	}

	/**
	 * Returns a copy with different tower names.
	 * @param towers one name for each tower, or a single name for all towers
	 * @return new options
	 */
	public CurveOptions withTowers(String... towers) {
		return new CurveOptions(this.keyFile, this.peersFile, List.of(towers));
	}

}
