package io.statestore.dafka.store;

import io.statestore.dafka.reading.internal.Command;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Conditions under which a store declares records lost because nodes answer with later
 * records.
 */
class StoreLossTests extends StoreLossFixture {

	@Test
	void declaresLossWhenOnlyStoreHasLaterRecords() {
		connect(FAST_STORE);
		run(15, (second) -> answerWithoutBeginning());
		assertThat(this.machine.lost.sum()).isEqualTo(5);
		assertThat(this.machine.stored.sum()).isEqualTo(5);
	}

	@Test
	void declaresLossWhenProducerHasLaterRecords() {
		run(15, (second) -> {
			head();
			answerWithoutBeginning();
		});
		assertThat(this.machine.lost.sum()).isEqualTo(5);
		assertThat(this.machine.stored.sum()).isEqualTo(5);
	}

	@Test
	void waitsForConnectedStoreThatDoesNotAnswer() {
		connect(FAST_STORE, SLOW_STORE);
		run(50, (second) -> answerWithoutBeginning());
		assertThat(this.machine.lost.sum()).isZero();
		allRecords();
		assertThat(this.machine.stored.sum()).isEqualTo(10);
	}

	@Test
	void waitsForStoreWhenOnlyProducerAnswers() {
		connect(SLOW_STORE);
		run(9, (second) -> {
			head();
			answerWithoutBeginning();
		});
		assertThat(this.machine.lost.sum()).isZero();
	}

	@Test
	void waitsForProducerForLimitedTime() {
		connect(FAST_STORE);
		run(9, (second) -> {
			head();
			answerWithoutBeginning();
		});
		assertThat(this.machine.lost.sum()).isZero();
		run(6, (second) -> {
			head();
			answerWithoutBeginning();
		});
		assertThat(this.machine.lost.sum()).isEqualTo(5);
	}

	@Test
	void waitsForStoresThatHaveNotAnnouncedYet() {
		inSync();
		run(9, (second) -> {
			head();
			answer();
		});
		assertThat(this.machine.lost.sum()).isZero();
	}

	@Test
	void waitsForStoreThatAnnouncedDuringWait() {
		inSync();
		run(9, (second) -> {
			head();
			answer();
		});
		receive(new Command.DirectHead(STORE, MISSING, TOPIC, 9).encode(), null);
		run(40, (second) -> {
			head();
			answer();
		});
		assertThat(this.machine.lost.sum()).isZero();
		run(20, (second) -> {
			head();
			answer();
		});
		assertThat(this.machine.lost.sum()).isEqualTo(4);
	}

	@Test
	void waitsForStoreThatAnnouncedAfterItsRequest() {
		connect(FAST_STORE, SLOW_STORE);
		run(1, (second) -> {
		});
		request(0);
		run(50, (second) -> answerWithoutBeginning());
		assertThat(this.machine.lost.sum()).isZero();
	}

	@Test
	void waitsForStoreThatNoLongerRequests() {
		connect(FAST_STORE, SLOW_STORE);
		run(1, (second) -> {
		});
		receive(new Command.DirectHead(STORE, MISSING, TOPIC, 9).encode(), null);
		run(1, (second) -> {
		});
		request(0);
		run(25, (second) -> {
		});
		run(15, (second) -> answer());
		assertThat(this.machine.lost.sum()).isZero();
	}

	@Test
	void doesNotWaitForStoresThatAnnounceNothing() {
		this.machine.subscribed(FAST_STORE, this.now);
		this.machine.subscribed(SLOW_STORE, this.now);
		run(20, (second) -> {
			head();
			answer();
		});
		assertThat(this.machine.lost.sum()).isEqualTo(5);
	}

	@Test
	void doesNotWaitForStoreMissingSameRecords() {
		connect(FAST_STORE, SLOW_STORE);
		run(10, (second) -> {
			answerWithoutBeginning();
			this.now += MILLIS;
			request(0);
		});
		assertThat(this.machine.lost.sum()).isEqualTo(5);
	}

	@Test
	void waitsForStoreMissingOnlyLaterRecords() {
		connect(FAST_STORE, SLOW_STORE);
		run(50, (second) -> {
			answerWithoutBeginning();
			this.now += MILLIS;
			request(5);
		});
		assertThat(this.machine.lost.sum()).isZero();
	}

	@Test
	void declaresLossWhileStoresComeAndGo() {
		connect(FAST_STORE);
		run(150, (second) -> {
			answerWithoutBeginning();
			comeAndGo(second);
		});
		assertThat(this.machine.lost.sum()).isEqualTo(5);
	}

	@Test
	void limitsWaitForUnansweringStore() {
		connect(FAST_STORE, SLOW_STORE);
		run(90, (second) -> answerWithoutBeginning());
		assertThat(this.machine.lost.sum()).isEqualTo(5);
	}

	@Test
	void waitsForStoreThatHasJustLeft() {
		connect(FAST_STORE, SLOW_STORE);
		run(20, (second) -> answerWithoutBeginning());
		this.machine.unsubscribed(SLOW_STORE);
		run(4, (second) -> answerWithoutBeginning());
		assertThat(this.machine.lost.sum()).isZero();
		run(6, (second) -> answerWithoutBeginning());
		assertThat(this.machine.lost.sum()).isEqualTo(5);
	}

	@Test
	void countsLostRecordsThatArriveLate() {
		connect(FAST_STORE);
		run(15, (second) -> answerWithoutBeginning());
		assertThat(this.machine.lost.sum()).isEqualTo(5);
		long duplicates = this.machine.duplicates.sum();
		allRecords();
		assertThat(this.machine.late.sum()).isEqualTo(5);
		assertThat(this.machine.duplicates.sum()).isEqualTo(duplicates + 5);
	}

}
