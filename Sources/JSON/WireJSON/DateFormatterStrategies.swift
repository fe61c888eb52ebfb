// swift-jsonrpc · SPDX-License-Identifier: MIT

#if DateFormatterSupport
    public import Foundation

    extension WireJSONDecoder.DateDecodingStrategy {
        /// A string that the formatter parses. The formatter must not be changed afterwards.
        ///
        /// Available with the package trait `DateFormatterSupport`.
        public static func formatted(_ formatter: DateFormatter) -> Self {
            .custom { decoder in
                let container = try decoder.singleValueContainer()
                guard let date = formatter.date(from: try container.decode(String.self)) else {
                    throw DecodingError.dataCorruptedError(
                        in: container, debugDescription: "The formatter could not parse the date.")
                }
                return date
            }
        }
    }

    extension WireJSONEncoder.DateEncodingStrategy {
        /// A string that the formatter writes. The formatter must not be changed afterwards.
        ///
        /// Available with the package trait `DateFormatterSupport`.
        public static func formatted(_ formatter: DateFormatter) -> Self {
            .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(formatter.string(from: date))
            }
        }
    }
#endif
