package io.statestore.client;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** A transaction manager without resources. */
final class TestTransactionManager extends AbstractPlatformTransactionManager {

	/** Called by a commit. */
	Runnable onCommit = () -> {
	};

	@Override
	protected Object doGetTransaction() {
		return this;
	}

	@Override
	protected void doBegin(Object transaction, TransactionDefinition definition) {
	}

	@Override
	protected void doCommit(DefaultTransactionStatus status) {
		this.onCommit.run();
	}

	@Override
	protected void doRollback(DefaultTransactionStatus status) {
	}

}
