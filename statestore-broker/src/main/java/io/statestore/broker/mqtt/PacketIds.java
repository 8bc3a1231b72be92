package io.statestore.broker.mqtt;

import java.util.BitSet;

/**
 * Packet identifiers in flight to one client. Artemis assigns ascending ones from 1 and
 * does not consult this class. Ours are descending from the maximum, so that the two
 * rarely meet. Not thread-safe.
 */
final class PacketIds {

	static final int MAX = 65_535;

	/** Our identifiers, as distances from {@link #MAX}, so that the set stays small. */
	private final BitSet ours = new BitSet();

	/** Identifiers that Artemis uses. */
	private final BitSet brokers = new BitSet();

	private int inFlight;

	/** Returns the number of identifiers in flight. */
	int inFlight() {
		return this.inFlight;
	}

	/** Takes a free identifier for a packet of ours. Returns 0 if there is none. */
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

	/** Returns whether an identifier in flight is ours. */
	boolean isOurs(int id) {
		return this.ours.get(MAX - id);
	}

	/**
	 * Releases an identifier of ours.
	 * @return {@code false} if it is not one of ours
	 */
	boolean release(int id) {
		boolean ours = isOurs(id);
		if (ours) {
			this.ours.clear(MAX - id);
			this.inFlight--;
		}
		return ours;
	}

	/**
	 * Handles the use of an identifier by Artemis.
	 * @param id the identifier, which is not one of ours
	 */
	void brokerTakes(int id) {
		if (!this.brokers.get(id)) {
			this.brokers.set(id);
			this.inFlight++;
		}
	}

	/** Handles the end of the use of an identifier by Artemis. */
	void brokerReleases(int id) {
		if (this.brokers.get(id)) {
			this.brokers.clear(id);
			this.inFlight--;
		}
	}

}
