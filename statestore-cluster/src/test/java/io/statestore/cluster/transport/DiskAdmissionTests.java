package io.statestore.cluster.transport;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.log.SpareSpace;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DiskAdmissionTests {

	private static final int SPARE = 64 << 10;

	private static final int MOST = SPARE - DiskAdmission.maxRequestBytes(SPARE);

	private final SpareSpace spare = new SpareSpace(SPARE);

	private final AtomicLong now = new AtomicLong();

	private final DiskAdmission admission = new DiskAdmission(this.spare, this.now::get);

	DiskAdmissionTests() {
		this.spare.update(SPARE);
	}

	@Test
	void requestsLeaveRoomForConsensus() {
		Runnable release = this.admission.admit(MOST);
		assertThat(release).isNotNull();
		assertThat(this.admission.admit(1)).isNull();
		release.run();
		assertThat(this.admission.admit(MOST)).isNotNull();
	}

	@Test
	void unansweredRequestReturnsSpaceLater() {
		Runnable dropped = this.admission.admit(MOST);
		assertThat(this.admission.admit(1)).isNull();
		this.now.addAndGet(TimeUnit.SECONDS.toNanos(16));
		assertThat(this.admission.admit(MOST)).isNotNull();
		assertThat(dropped).isNotNull();
		dropped.run();
		assertThat(this.admission.admit(1)).isNull();
	}

	@Test
	void requestFromEarlierNodeReturnsNoSpace() {
		Runnable earlier = this.admission.admit(MOST / 4);
		this.admission.reset();
		assertThat(this.admission.admit(MOST)).isNotNull();
		assertThat(earlier).isNotNull();
		earlier.run();
		assertThat(this.admission.admit(1)).isNull();
	}

	@Test
	void fullDiskAdmitsSmallRequests() {
		assertThat(this.admission.hasSpace()).isTrue();
		this.spare.update(SPARE / 2 - 1);
		assertThat(this.admission.hasSpace()).isFalse();
		assertThat(this.admission.admit(8 << 10)).isNull();
		assertThat(this.admission.admit(1 << 10)).isNotNull();
		this.spare.update(SPARE / 4 - 1);
		assertThat(this.admission.admit(1)).isNull();
	}

}
