package io.statestore.dafka;

import io.statestore.dafka.internal.Options;

/**
 * Address of a tower.
 *
 * @param host name or IP address of the tower's host
 * @param inPort port that receives beacons, 5556 by default
 * @param outPort port that sends beacons, 5557 by default
 */
public record TowerAddress(String host, int inPort, int outPort) {

	/** Default port on which towers receive beacons. */
	public static final int DEFAULT_IN_PORT = 5556;

	/** Default port on which towers send beacons. */
	public static final int DEFAULT_OUT_PORT = 5557;

	public TowerAddress {
		Options.requireHost("tower host", host);
		Options.requirePort("tower inPort", inPort, 1);
		Options.requirePort("tower outPort", outPort, 1);
	}

	/**
	 * Returns the address of a tower that uses the default ports.
	 * @param host name or IP address of the tower's host
	 * @return an address with the default ports
	 */
	public static TowerAddress of(String host) {
		return new TowerAddress(host, DEFAULT_IN_PORT, DEFAULT_OUT_PORT);
	}

}
