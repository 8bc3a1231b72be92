package io.statestore.broker.mqtt;

import java.util.BitSet;

/**
 * The packet ids in flight towards one client. The broker counts its own up from 1
 * without asking; ours are taken from the other end, so that the two rarely meet.
 */
final class PacketIds {

	static final int MAX = 65_535;

	/** Indexed by distance from {@link #MAX}, so that it stays small. */
	private final BitSet ours = new BitSet();

	private final BitSet brokers = new BitSet();

	private int inFlight;

	int inFlight() {
		return this.inFlight;
	}

	/** Take a free id for a packet of ours, 0 if there is none. */
	int take() {
		int index = this.ours.nextClearBit(0);
		while (index < MAX && this.brokers.get(MAX - index)) {
			index = this.ours.nextClearBit(index + 1);
		}
		if (index >= MAX) {
			return 0;
		}
		this.ours.set(index);
		this.inFlight++;
		return MAX - index;
	}

	boolean isOurs(int id) {
		return this.ours.get(MAX - id);
	}

	boolean release(int id) {
		boolean ours = isOurs(id);
		if (ours) {
			this.ours.clear(MAX - id);
			this.inFlight--;
		}
		return ours;
	}

	/** The broker uses an id that is not one of ours. */
	void brokerTakes(int id) {
		if (!this.brokers.get(id)) {
			this.brokers.set(id);
			this.inFlight++;
		}
	}

	void brokerReleases(int id) {
		if (this.brokers.get(id)) {
			this.brokers.clear(id);
			this.inFlight--;
		}
	}

}
