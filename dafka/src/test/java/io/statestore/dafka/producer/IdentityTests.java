package io.statestore.dafka.producer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Identities saved in a directory. */
class IdentityTests {

	@TempDir
	Path directory;

	@Test
	void identityKeepsAddressAndCounters() {
		String address;
		String longTopic = "x".repeat(255);
		try (Identity identity = Identity.directory(this.directory)) {
			address = identity.address();
			assertThat(address).matches("[0-9A-F]{32}");
			identity.counter("t").setNext(7);
			identity.counter("t").setAcknowledged(5);
			identity.counter(longTopic).setNext(9);
		}
		try (Identity identity = Identity.directory(this.directory)) {
			assertThat(identity.address()).isEqualTo(address);
			assertThat(identity.counter("t").next()).isEqualTo(7);
			assertThat(identity.counter("t").acknowledged()).isEqualTo(5);
			assertThat(identity.counter(longTopic).next()).isEqualTo(9);
			assertThat(identity.counter("other").next()).isZero();
		}
	}

	@Test
	void createsFilesReadableByOwnerOnly() throws IOException {
		Path created = this.directory.resolve("press-1");
		try (Identity identity = Identity.directory(created)) {
			identity.counter("t").setNext(7);
		}
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(created))).isEqualTo("rwx------");
		try (var files = Files.list(created)) {
			assertThat(files).hasSize(2)
				.allSatisfy((file) -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
					.isEqualTo("rw-------"));
		}
	}

	@Test
	void refusesIdentityWithDamagedAddress() throws IOException {
		Files.writeString(this.directory.resolve("address"), "x".repeat(300));
		assertThatIllegalArgumentException().isThrownBy(() -> Identity.directory(this.directory))
			.withMessageContaining("1 to 255 characters");
	}

}
