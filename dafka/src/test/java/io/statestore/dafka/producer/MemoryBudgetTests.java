package io.statestore.dafka.producer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits of a {@link MemoryBudget}. */
@Timeout(60)
class MemoryBudgetTests {

	@Test
	void budgetAdmitsLargerRecordOnlyWhenUnused() throws InterruptedException {
		MemoryBudget budget = new MemoryBudget(100);
		assertThat(budget.take(500, 0)).isTrue();
		assertThat(budget.take(1, 1_000)).isFalse();
		budget.release(500);
		assertThat(budget.take(60, 0)).isTrue();
		Thread waiting = new Thread(() -> {
			try {
				budget.take(60, Long.MAX_VALUE);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		waiting.start();
		budget.release(60);
		waiting.join();
		assertThat(budget.used()).isEqualTo(60);
	}

}
