package io.statestore.client;

import java.util.HashSet;
import java.util.Set;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Writes after the commit of a transaction. Used on its thread only. */
final class AfterCommit implements TransactionSynchronization {

	private final Runnable writes;

	/** Savepoints that are later than the call. */
	private final Set<Object> savepoints = new HashSet<>();

	private boolean rolledBack;

	private AfterCommit(Runnable writes) {
		this.writes = writes;
	}

	/** Writes after the commit of the surrounding transaction, if there is one. */
	static void run(Runnable writes) {
		if (TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new AfterCommit(writes));
		}
		else {
			writes.run();
		}
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.add(savepoint);
	}

	@Override
	public void savepointRollback(Object savepoint) {
		this.rolledBack |= !this.savepoints.contains(savepoint);
	}

	@Override
	public void afterCompletion(int status) {
		if (status == STATUS_COMMITTED && !this.rolledBack) {
			this.writes.run();
		}
	}

}
