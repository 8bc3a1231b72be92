package io.statestore.dafka;

/**
 * Where a tower is.
 *
 * @param host its name or address
 * @param inPort where it takes beacons, 5556 by default
 * @param outPort where it passes them on, 5557 by default
 */
public record TowerAddress(String host, int inPort, int outPort) {

	/** The port on which towers take beacons unless told otherwise. */
	public static final int DEFAULT_IN_PORT = 5556;

	/** The port on which towers pass beacons on unless told otherwise. */
	public static final int DEFAULT_OUT_PORT = 5557;

	public TowerAddress {
		Options.requireHost("tower host", host);
		Options.requirePort("tower inPort", inPort, 1);
		Options.requirePort("tower outPort", outPort, 1);
	}

	/** A tower on the default ports. */
	public static TowerAddress of(String host) {
		return new TowerAddress(host, DEFAULT_IN_PORT, DEFAULT_OUT_PORT);
	}

}
