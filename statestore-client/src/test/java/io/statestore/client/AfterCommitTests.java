package io.statestore.client;

import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Writes after the commit of a transaction. */
class AfterCommitTests {

	private static final String KEY = "orders/1";

	private final StateStoreOperations store = new StateStoreTemplate(new InMemoryStateStore());

	private final TestTransactionManager manager = new TestTransactionManager();

	private final TransactionTemplate transaction = new TransactionTemplate(this.manager);

	@Test
	void writesInOrderAfterCommit() {
		this.manager.onCommit = () -> assertThat(this.store.exists(KEY)).isFalse();
		this.transaction.executeWithoutResult((status) -> {
			this.store.afterCommit((after) -> after.set(KEY, "packed"));
			this.store.afterCommit((after) -> after.set(KEY, after.getValue(KEY, String.class).orElseThrow() + "+"));
			assertThat(this.store.exists(KEY)).isFalse();
		});
		assertThat(this.store.getValue(KEY, String.class)).contains("packed+");
	}

	@Test
	void writesNothingAfterRollback() {
		this.transaction.executeWithoutResult((status) -> {
			this.store.afterCommit((after) -> after.set(KEY, "packed"));
			status.setRollbackOnly();
		});
		assertThat(this.store.exists(KEY)).isFalse();
	}

	@Test
	void writesNothingAfterFailedCommit() {
		this.manager.onCommit = () -> {
			throw new IllegalStateException("disk full");
		};
		assertThatIllegalStateException().isThrownBy(() -> this.transaction
			.executeWithoutResult((status) -> this.store.afterCommit((after) -> after.set(KEY, "packed"))));
		assertThat(this.store.exists(KEY)).isFalse();
	}

	@Test
	void dropsWritesOfNestedTransactionAfterItsRollback() {
		TransactionTemplate nested = new TransactionTemplate(this.manager);
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		this.transaction.executeWithoutResult((status) -> {
			this.store.afterCommit((after) -> after.set("outer", "kept"));
			nested.executeWithoutResult((inner) -> {
				this.store.afterCommit((after) -> after.set(KEY, "packed"));
				inner.setRollbackOnly();
			});
		});
		assertThat(this.store.exists(KEY)).isFalse();
		assertThat(this.store.exists("outer")).isTrue();
	}

	@Test
	void writeWithinWriteRunsImmediately() {
		this.transaction.executeWithoutResult((status) -> this.store
			.afterCommit((after) -> after.afterCommit((nested) -> nested.set(KEY, "packed"))));
		assertThat(this.store.exists(KEY)).isTrue();
	}

	@Test
	void failedWriteAffectsNeitherCallerNorOtherWrites() {
		this.transaction.executeWithoutResult((status) -> {
			this.store.afterCommit((after) -> after.set("", "no such key"));
			this.store.afterCommit((after) -> after.set(KEY, "packed"));
		});
		assertThat(this.store.exists(KEY)).isTrue();
	}

	@Test
	void writesImmediatelyWithoutTransaction() {
		this.store.afterCommit((after) -> after.set(KEY, "packed"));
		assertThat(this.store.exists(KEY)).isTrue();
	}

}
