package io.statestore.client;

import org.springframework.transaction.SavepointManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** A transaction manager without resources, with savepoints. */
final class TestTransactionManager extends AbstractPlatformTransactionManager implements SavepointManager {

	/** Called by a commit. */
	Runnable onCommit = () -> {
	};

	private boolean active;

	TestTransactionManager() {
		setNestedTransactionAllowed(true);
	}

	@Override
	protected Object doGetTransaction() {
		return this;
	}

	@Override
	protected boolean isExistingTransaction(Object transaction) {
		return this.active;
	}

	@Override
	protected void doBegin(Object transaction, TransactionDefinition definition) {
		this.active = true;
	}

	@Override
	protected void doCleanupAfterCompletion(Object transaction) {
		this.active = false;
	}

	@Override
	public Object createSavepoint() {
		return new Object();
	}

	@Override
	public void rollbackToSavepoint(Object savepoint) {
	}

	@Override
	public void releaseSavepoint(Object savepoint) {
	}

	@Override
	protected void doCommit(DefaultTransactionStatus status) {
		this.onCommit.run();
	}

	@Override
	protected void doRollback(DefaultTransactionStatus status) {
	}

}
