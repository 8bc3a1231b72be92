package io.statestore.broker.server;

import io.statestore.broker.log.TestDisk;

/** Servers on a simulated disk, for tests of other packages. */
public final class SimulatedStore {

	private static final long MAX_HELD = 16 << 20;

	private static final long SEGMENT_BYTES = 256 << 10;

	private SimulatedStore() {
	}

	/**
	 * Starts a server.
	 * @param options options with a directory
	 * @param disk the disk that contains the directory
	 * @param minLogBytes minimum log size after the latest snapshot at which a new
	 * snapshot is written
	 */
	public static StateStoreServer start(StateStoreServerOptions options, TestDisk disk, long minLogBytes) {
		return new StateStoreServer(options, new ServerTuning(MAX_HELD, SEGMENT_BYTES, minLogBytes, disk::open));
	}

}
