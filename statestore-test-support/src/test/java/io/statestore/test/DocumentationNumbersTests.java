package io.statestore.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a measurement, limit, or default stands on one page only. Other pages link
 * to it, so a change cannot leave an outdated copy behind.
 * <p>
 * Pages may state different facts with the same quantity. Two sentences therefore count
 * as copies only if they also share rare words, weighted by inverse document frequency
 * (Sparck Jones, 1972). Copies in other words go unnoticed.
 */
class DocumentationNumbersTests {

	private static final Path DOCS = Path.of("..", "docs");

	/** Weight of the shared words from which two sentences count as copies. */
	private static final double SAME_FACT = 12;

	/** Different facts with the same quantity and similar words. */
	private static final Set<String> COINCIDENCES = Set.of(
			// How far the store's versions, and a client's clock, may be ahead.
			"60.0 s in durability.md and protocol.md",
			// The size of a packet, of a listener's queue, and of all unanswered calls.
			"16.0 MB in limits.md and properties.md", "16.0 MB in limits.md and template.md",
			// How long the end of a leader's term, and then of locks, delays shutdown.
			"5.0 s in locks.md and properties.md");

	private static final List<String> NUMBERS = List.of("zero", "one", "two", "three", "four", "five", "six", "seven",
			"eight", "nine", "ten");

	private static final Pattern QUANTITY = Pattern.compile("(?<![\\w.,:/-])(\\d[\\d,]*(?:\\.\\d+)?) ?"
			+ "(ms|µs|s|m|[KM]i?B|%|second|minute|byte|time|key|level|change|character|thread|connection|serie)s?(?!\\w)");

	private record Sentence(String page, String text, Set<String> words) {
	}

	@Test
	void quantitiesAreNotRepeatedOnOtherPages() throws IOException {
		List<Sentence> sentences = sentences();
		Map<String, Long> frequencies = sentences.stream()
			.flatMap((sentence) -> sentence.words().stream())
			.collect(Collectors.groupingBy((word) -> word, Collectors.counting()));
		Map<String, List<Sentence>> mentions = new HashMap<>();
		List<String> copies = new ArrayList<>();
		for (Sentence sentence : sentences) {
			for (String quantity : quantities(sentence.text())) {
				for (Sentence other : mentions.computeIfAbsent(quantity, (key) -> new ArrayList<>())) {
					double weight = sentence.words()
						.stream()
						.filter(other.words()::contains)
						.mapToDouble((word) -> Math.log((double) sentences.size() / frequencies.getOrDefault(word, 1L)))
						.sum();
					String place = quantity + " in " + other.page() + " and " + sentence.page();
					if (!other.page().equals(sentence.page()) && weight >= SAME_FACT && !COINCIDENCES.contains(place)) {
						copies.add(place + ":\n" + other.text() + "\n" + sentence.text());
					}
				}
				mentions.get(quantity).add(sentence);
			}
		}
		assertThat(copies).isEmpty();
	}

	/** Returns the sentences and table rows of all pages, without blocks of code. */
	private static List<Sentence> sentences() throws IOException {
		try (Stream<Path> files = Stream.concat(Files.walk(DOCS), Stream.of(DOCS.resolve("../README.md")))) {
			List<Sentence> result = new ArrayList<>();
			for (Path page : files.filter((file) -> file.toString().endsWith(".md")).sorted().toList()) {
				String prose = Files.readString(page).replaceAll("(?ms)^\\s*```.*?^\\s*```", "");
				for (String text : prose.replaceAll("\n(?![\n|#*-])\\s*", " ").split("\n+|(?<=[.:;])\\s+")) {
					Set<String> words = Stream.of(text.replaceAll("\\]\\([^)]*\\)", " ").split("[^A-Za-z-]+"))
						.map((word) -> word.toLowerCase(Locale.ROOT).replaceAll("(e|e?s|ed|ing)$", ""))
						.filter((word) -> word.length() > 2 && !NUMBERS.contains(word)
								&& !word.matches("second|minut|tim"))
						.collect(Collectors.toSet());
					result.add(new Sentence(DOCS.relativize(page).toString(), text, words));
				}
			}
			return result;
		}
	}

	/** Returns the quantities in a sentence in one spelling, with minutes in seconds. */
	private static Set<String> quantities(String text) {
		String digits = text.replace(" a minute", " 1 minute").replace("half a second", "0.5 s");
		for (String number : NUMBERS) {
			digits = digits.replaceAll("\\b" + number + " (?=(second|minute|byte|time)s?\\b)",
					NUMBERS.indexOf(number) + " ");
		}
		return QUANTITY.matcher(digits)
			.results()
			.map((match) -> quantity(Double.parseDouble(match.group(1).replace(",", "")), match.group(2)))
			.collect(Collectors.toSet());
	}

	private static String quantity(double number, String unit) {
		return switch (unit) {
			case "s", "second" -> number + " s";
			case "m", "minute" -> number * 60 + " s";
			default -> number + " " + unit.replace("iB", "B");
		};
	}

}
