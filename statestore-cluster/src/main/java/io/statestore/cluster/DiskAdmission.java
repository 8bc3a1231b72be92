package io.statestore.cluster;

import io.statestore.cluster.storage.Space;
import io.statestore.cluster.transport.Admission;
import org.jspecify.annotations.Nullable;

/** Room on the disk of this node. Thread-safe. */
record DiskAdmission(Space space) implements Admission {

	@Override
	public boolean hasSpace() {
		return !this.space.isFull();
	}

	@Override
	public @Nullable Runnable admit(int bytes) {
		return this.space.admit(bytes);
	}

}
