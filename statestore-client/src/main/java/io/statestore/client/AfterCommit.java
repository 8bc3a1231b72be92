package io.statestore.client;

import java.util.HashSet;
import java.util.Set;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Runs writes after a transaction commits. Used only on the transaction's thread. */
final class AfterCommit implements TransactionSynchronization {

	private final Runnable writes;

	/**
	 * Savepoints created after the writes were registered; rolling back to them keeps the
	 * writes.
	 */
	private final Set<Object> savepoints = new HashSet<>();

	private boolean rolledBack;

	private AfterCommit(Runnable writes) {
		this.writes = writes;
	}

	/**
	 * Runs the writes after the surrounding transaction commits, or immediately if there
	 * is no transaction.
	 */
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
