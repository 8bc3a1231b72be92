package io.statestore.broker.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;

import io.statestore.broker.security.Authorizer;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.Permissions;
import io.statestore.broker.security.RulesFile;
import io.statestore.protocol.Bytes;

/** An authorizer with rules files that tests can replace immediately. */
final class TestAuthorizer implements Authorizer {

	private final Map<String, RulesFile> known = new ConcurrentHashMap<>();

	private volatile RulesFile rules;

	TestAuthorizer(String rules) {
		this.rules = read(rules);
	}

	/** Replaces the rules for all connected clients. */
	void change(String rules) {
		this.rules = read(rules);
	}

	private RulesFile read(String rules) {
		return this.known.computeIfAbsent(rules, TestAuthorizer::write);
	}

	private static RulesFile write(String rules) {
		try {
			Path file = Files.createTempFile("rules", "");
			file.toFile().deleteOnExit();
			return RulesFile.of(Files.writeString(file, rules));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public Permissions permissions(Client client) {
		return new Permissions() {

			private Permissions current() {
				return TestAuthorizer.this.rules.permissions(client);
			}

			@Override
			public boolean mayRead(Bytes key) {
				return current().mayRead(key);
			}

			@Override
			public boolean mayRead(Bytes key, LongConsumer steps) {
				return current().mayRead(key, steps);
			}

			@Override
			public boolean mayWrite(Bytes key) {
				return current().mayWrite(key);
			}

			@Override
			public boolean maySubscribe(String filter) {
				return current().maySubscribe(filter);
			}

			@Override
			public boolean mayPublish(String topic) {
				return current().mayPublish(topic);
			}

			@Override
			public boolean mayAdminister() {
				return current().mayAdminister();
			}

		};
	}

}
