package io.statestore.client.watch;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IgnoredLocalWritesTests extends WatchedKeyFixture {

	@Test
	void deliversInitialValueFromPendingLocalWrite() {
		attach(listener(true, true));
		connect();
		this.watched.localWriteStarted();
		reply(OK);
		this.watched.changed(set(1, false));
		this.watched.localWriteFinished(1, version(1), false);
		reply(value(1));
		assertThat(this.delivered).containsExactly(set(1, true));
		this.watched.localWriteStarted();
		this.watched.changed(set(2, false));
		this.watched.localWriteFinished(2, version(2), false);
		assertThat(this.delivered).hasSize(1);
	}

	@Test
	void deliversInitialValueFromSettledLocalWrite() {
		watch();
		attach(listener(true, true));
		this.watched.localWriteStarted();
		this.watched.localWriteFinished(1, version(1), false);
		reply(OK);
		reply(value(1));
		assertThat(this.delivered).contains(set(1, true));
		this.delivered.clear();
		this.watched.changed(set(1, false));
		this.watched.changed(set(2, false));
		assertThat(this.delivered).containsOnly(set(2, false)).hasSize(2);
	}

	@Test
	void nextChangeReportsOverflowOfHeldChanges() {
		attach(listener(false, true));
		connect();
		reply(OK);
		reply(MISSING);
		this.watched.localWriteStarted();
		for (int i = 1; i <= CAPACITY; i++) {
			this.watched.changed(set(i, false));
		}
		this.watched.changed(set(1000, false));
		this.watched.localWriteFinished(1, version(1000), false);
		assertThat(this.delivered).isEmpty();
		this.watched.changed(set(1001, false));
		this.watched.changed(set(1002, false));
		assertThat(this.delivered).containsExactly(set(1001, true), set(1002, false));
	}

	@Test
	void nextChangeReportsGapBeforeIgnoredReading() {
		attach(listener(false, true));
		connect();
		reply(OK);
		reply(MISSING);
		this.watched.localWriteStarted();
		this.watched.localWriteFinished(1, version(5), false);
		this.tick.run();
		reply(OK);
		// Earlier changes may have been missed too.
		reply(value(5));
		assertThat(this.delivered).isEmpty();
		this.watched.changed(set(6, false));
		assertThat(this.delivered).containsExactly(set(6, true));
	}

	@Test
	void heldChangesKeepTheirOwnGaps() {
		attach(listener(false, true));
		connect();
		reply(OK);
		reply(MISSING);
		this.watched.localWriteStarted();
		this.watched.localWriteStarted();
		this.watched.changed(set(1, false));
		this.watched.changed(set(3, true));
		this.watched.changed(set(4, false));
		this.watched.changed(set(5, true));
		this.watched.localWriteFinished(1, version(3), false);
		this.watched.localWriteFinished(2, version(5), false);
		this.watched.changed(set(6, false));
		assertThat(this.delivered).containsExactly(set(1, false), set(4, true), set(6, true));
	}

}
