package io.statestore.dafka.store;

import io.statestore.dafka.reading.internal.Command;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Conditions under which a store skips records that no node sends. */
class StoreSkipTests extends StoreLossFixture {

	@Test
	void skipsRecordsThatNoNodeSends() {
		run(90, (second) -> head());
		assertThat(this.machine.lost.sum()).isEqualTo(10);
	}

	@Test
	void skipsNothingWhileAnotherStoreIsSending() {
		run(300, (second) -> {
			head();
			direct(OTHER, second);
		});
		assertThat(this.machine.lost.sum()).isZero();
	}

	@Test
	void doesNotSkipRecordsAnotherStoreAnnounces() {
		run(300, (second) -> {
			head();
			if (second % 5 == 0) {
				receive(new Command.DirectHead(STORE, MISSING, TOPIC, 9).encode(), null);
			}
		});
		assertThat(this.machine.lost.sum()).isZero();
	}

	@Test
	void skipsNothingWithoutProducer() {
		head();
		run(300, (second) -> {
		});
		assertThat(this.machine.lost.sum()).isZero();
	}

	@Test
	void waitsForStoreThatHasJustAppeared() {
		run(90, (second) -> {
			head();
			if (second == 59) {
				this.machine.subscribed(SLOW_STORE, this.now);
			}
			if (second == 63) {
				allRecords();
			}
		});
		assertThat(this.machine.lost.sum()).isZero();
		assertThat(this.machine.stored.sum()).isEqualTo(10);
	}

	@Test
	void skipsWhileStoresComeAndGo() {
		run(150, (second) -> {
			head();
			comeAndGo(second);
		});
		assertThat(this.machine.lost.sum()).isEqualTo(10);
	}

}
