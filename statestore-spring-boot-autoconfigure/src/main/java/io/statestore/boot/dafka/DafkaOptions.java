package io.statestore.boot.dafka;

import java.nio.file.Path;
import java.util.function.Consumer;

import io.statestore.boot.internal.PropertyChecks;
import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.node.internal.CurveSecurity;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;

/** Sets Dafka options. Errors name the property of an invalid option. */
final class DafkaOptions {

	private DafkaOptions() {
	}

	/**
	 * Sets an option, unless its property is not set.
	 * @throws InvalidConfigurationPropertyValueException if the value is invalid
	 */
	static <T> void set(String property, @Nullable T value, Consumer<T> option) {
		if (value == null) {
			return;
		}
		try {
			option.accept(value);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidConfigurationPropertyValueException(property, value, ex.getMessage());
		}
	}

	/**
	 * Sets the keys for encryption and authentication.
	 * @throws InvalidConfigurationPropertyValueException if a property or file is invalid
	 */
	static void curve(DafkaProperties.Curve curve, Consumer<CurveOptions> option) {
		if (curve.keyFile() == null && curve.peersFile() == null) {
			return;
		}
		Path keyFile = file("dafka.curve.key-file", curve.keyFile());
		requireBouncyCastle(keyFile);
		Path peersFile = file("dafka.curve.peers-file", curve.peersFile());
		CurveOptions options = CurveOptions.of(keyFile, peersFile);
		try {
			CurveSecurity.check(options, 0);
		}
		catch (IllegalArgumentException ex) {
			boolean key = String.valueOf(ex.getMessage()).startsWith("'curve.keyFile'");
			throw new InvalidConfigurationPropertyValueException(
					key ? "dafka.curve.key-file" : "dafka.curve.peers-file", key ? keyFile : peersFile,
					ex.getMessage());
		}
		option.accept(options);
	}

	private static void requireBouncyCastle(Path keyFile) {
		PropertyChecks.require(ClassUtils.isPresent("org.bouncycastle.crypto.engines.XSalsa20Engine", null),
				"dafka.curve.key-file", keyFile,
				"It requires Bouncy Castle, which is not on the class path. Add the dependency "
						+ "org.bouncycastle:bcprov-jdk18on, or remove the properties dafka.curve to use no "
						+ "encryption.");
	}

	private static Path file(String property, @Nullable String file) {
		if (file == null || file.isBlank()) {
			throw new InvalidConfigurationPropertyValueException(property, file,
					"It must be set if the other file of dafka.curve is set. The command 'dafka keys' creates both.");
		}
		return PropertyChecks.file(property, file, "Remove the properties dafka.curve to use no encryption");
	}

}
