package com.example.caching;

import java.math.BigDecimal;

public record Price(BigDecimal amount, String currency) {

}
