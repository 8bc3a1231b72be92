package io.statestore.broker.mqtt;

import java.util.BitSet;

/**
 * Packet identifiers in flight to one client. {@link SessionDeliveries} assigns those of
 * ordinary messages, ascending from 1, and does not consult this class. Ours, those of
 * messages of the state store, are descending from the maximum, so that the two rarely
 * meet. Not thread-safe.
 */
final class PacketIds {

	static final int MAX = 65_535;

	/** Our identifiers, as distances from {@link #MAX}, so that the set stays small. */
	private final BitSet ours = new BitSet();

	/** Identifiers of ordinary messages. */
	private final BitSet ordinary = new BitSet();

	private int inFlight;

	/** Returns the number of identifiers in flight. */
	int inFlight() {
		return this.inFlight;
	}

	/** Takes a free identifier for a packet of ours. Returns 0 if there is none. */
	int take() {
		int index = this.ours.nextClearBit(0);
		while (index < MAX && this.ordinary.get(MAX - index)) {
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
	 * Handles the use of an identifier by an ordinary message.
	 * @param id the identifier, which is not one of ours
	 */
	void ordinaryTaken(int id) {
		if (!this.ordinary.get(id)) {
			this.ordinary.set(id);
			this.inFlight++;
		}
	}

	/** Handles the end of the use of an identifier by an ordinary message. */
	void ordinaryReleased(int id) {
		if (this.ordinary.get(id)) {
			this.ordinary.clear(id);
			this.inFlight--;
		}
	}

}
