package io.statestore.cluster;

/** Thrown when the leader does not have room for an entry. The entry was not proposed. */
public final class ProposalRejectedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final boolean diskFull;

	ProposalRejectedException(String message, boolean diskFull) {
		super(message);
		this.diskFull = diskFull;
	}

	/**
	 * Returns whether the disk is full.
	 * @return {@code false} if too many entries are in flight
	 */
	public boolean isDiskFull() {
		return this.diskFull;
	}

}
