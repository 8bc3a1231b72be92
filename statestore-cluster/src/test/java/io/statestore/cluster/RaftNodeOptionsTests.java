package io.statestore.cluster;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RaftNodeOptionsTests {

	private static RaftNodeOptions options(int maxEntryBytes, int spareBytes) {
		return new RaftNodeOptions("test", new Member("127.0.0.1", 1), NodeStart.join(),
				new InetSocketAddress("127.0.0.1", 1), Path.of("node"), () -> {
					throw new AssertionError();
				}, Duration.ofSeconds(1), maxEntryBytes, 64 << 10, spareBytes, 1_000, null);
	}

	@Test
	void acceptsEntryThatFitsIntoSpareSpace() {
		assertThat(options((64 << 10) - 64, 256 << 10).maxEntryBytes()).isEqualTo(65_472);
		assertThat(options(RaftNodeOptions.MAX_ENTRY_BYTES, RaftNodeOptions.SPARE_BYTES).spareBytes()).isPositive();
	}

	@Test
	void refusesEntryThatNeverFits() {
		assertThatIllegalArgumentException().isThrownBy(() -> options((64 << 10) - 63, 256 << 10))
			.withMessage("'maxEntryBytes' of 65473 bytes needs 'spareBytes' of at least 262148, not 262144");
		assertThatIllegalArgumentException().isThrownBy(() -> options(Integer.MAX_VALUE, 256 << 10));
	}

}
