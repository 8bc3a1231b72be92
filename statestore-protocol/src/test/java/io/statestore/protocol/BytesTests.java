package io.statestore.protocol;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BytesTests {

	@Test
	void slicesShareTheMemory() {
		assertThat(Bytes.of("hello").slice(1, 3)).isEqualTo(Bytes.of("el"));
	}

	@Property
	void hexadecimalGoesBothWays(@ForAll byte[] content) {
		Bytes bytes = Bytes.copyOf(content);
		assertThat(Bytes.ofHex(bytes.toHex())).isEqualTo(bytes).hasSameHashCodeAs(bytes);
	}

}
