package io.statestore.client.watch;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class IgnoredLocalWritesTests extends KeyMachineFixture {

	@Test
	void deliversInitialValueOfPendingLocalWrite() {
		this.machine.attach(listener(true, true));
		this.machine.connected();
		this.machine.localWriteStarted(1);
		reply(OK);
		this.machine.changed(set(1, false));
		this.machine.localWriteFinished(1, version(1), false);
		reply(value(1));
		assertThat(this.delivered).containsExactly(set(1, true));
		this.machine.localWriteStarted(2);
		this.machine.changed(set(2, false));
		this.machine.localWriteFinished(2, version(2), false);
		assertThat(this.delivered).hasSize(1);
	}

	@Test
	void deliversInitialValueOfSettledLocalWrite() {
		watch();
		this.machine.attach(listener(true, true));
		this.machine.localWriteStarted(1);
		this.machine.localWriteFinished(1, version(1), false);
		reply(OK);
		reply(value(1));
		assertThat(this.delivered).contains(set(1, true));
		this.delivered.clear();
		this.machine.changed(set(1, false));
		this.machine.changed(set(2, false));
		assertThat(this.delivered).containsOnly(set(2, false)).hasSize(2);
	}

	@Test
	void nextChangeReportsOverflowOfHeldChanges() {
		this.machine.attach(listener(false, true));
		this.machine.connected();
		reply(OK);
		reply(MISSING);
		this.machine.localWriteStarted(1);
		for (int i = 1; i <= CAPACITY; i++) {
			this.machine.changed(set(i, false));
		}
		this.machine.changed(set(1000, false));
		this.machine.localWriteFinished(1, version(1000), false);
		assertThat(this.delivered).isEmpty();
		this.machine.changed(set(1001, false));
		this.machine.changed(set(1002, false));
		assertThat(this.delivered).containsExactly(set(1001, true), set(1002, false));
	}

	@Test
	void nextChangeReportsGapBeforeIgnoredReading() {
		this.machine.attach(listener(false, true));
		this.machine.connected();
		reply(OK);
		reply(MISSING);
		this.machine.localWriteStarted(1);
		this.machine.localWriteFinished(1, version(5), false);
		this.machine.tick(this.actions.tick);
		reply(OK);
		// Earlier changes may have been missed too.
		reply(value(5));
		assertThat(this.delivered).isEmpty();
		this.machine.changed(set(6, false));
		assertThat(this.delivered).containsExactly(set(6, true));
	}

	@Test
	void heldChangesKeepTheirOwnGaps() {
		this.machine.attach(listener(false, true));
		this.machine.connected();
		reply(OK);
		reply(MISSING);
		this.machine.localWriteStarted(1);
		this.machine.localWriteStarted(2);
		this.machine.changed(set(1, false));
		this.machine.changed(set(3, true));
		this.machine.changed(set(4, false));
		this.machine.changed(set(5, true));
		this.machine.localWriteFinished(1, version(3), false);
		this.machine.localWriteFinished(2, version(5), false);
		this.machine.changed(set(6, false));
		assertThat(this.delivered).containsExactly(set(1, false), set(4, true), set(6, true));
	}

}
