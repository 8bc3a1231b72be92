package io.statestore.cluster.transport;

/**
 * Decides whether this node has room for entries that the leader sends. JRaft must not
 * receive entries that the disk has no space for, because it would end the node.
 */
public interface Admission {

	/** Admits all entries. */
	Admission ALL = new Admission() {

		@Override
		public boolean admit(int bytes) {
			return true;
		}

		@Override
		public void done(int bytes) {
		}

	};

	/**
	 * Asks for room. Does not block.
	 * @param bytes size of the entries
	 * @return whether there is room. Then, {@link #done} follows
	 */
	boolean admit(int bytes);

	/**
	 * Returns the room of entries, which are written or were refused.
	 * @param bytes size of the entries
	 */
	void done(int bytes);

}
